"""Chat adapters. They import the broker and its values, never its store."""
