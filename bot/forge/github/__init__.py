"""GitHub, github.com or Enterprise Server or embedded, through PyGithub and GitPython."""
