"""Microsoft Teams: Adaptive Cards out, activities in. Only `transport` imports its SDK."""
