"""How agents are organised."""
