"""How many deliveries a second the webhook endpoint takes, beside what other frameworks do."""
