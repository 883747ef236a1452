"""Flask: webhook endpoint and pages."""
