"""The HTTP API, called as its callers call it: a real server, over Redis and over memory."""
