"""Find an event that tells inputs apart, in reports of any kind: `docs/search.md` has a drawing."""
