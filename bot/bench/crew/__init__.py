"""Several workers on one Postgres share runs, while one after another is killed."""
