"""A walk over every operation that the embedded GitHub offers, as its documentation calls it."""
