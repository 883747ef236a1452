"""The eight tools of EvoCodeAgent (arXiv 2611.06328, Table I), and how often they are called."""
