"""What the model is told about asking people: the same good manners in every tool's description."""

from __future__ import annotations

WHEN = (
    "Use it only when you are blocked by something that is a person's to give: a decision, a "
    "preference, a fact nobody wrote down. First exhaust your tools: what a query, a search or a "
    "file can tell you is not a question for people. Never ask whether to go on, and never ask to "
    "have your own plan confirmed."
)

HOW = (
    "Write for someone who has not seen this conversation: name things in full, give what they "
    "need to decide, say what depends on it."
)

ONE = "Ask one question rather than three."

OPTIONS = (
    "Offer real alternatives that nobody could mix up, the one you recommend first, with "
    '"(Recommended)" at the end of its label.'
)

NO_OTHER = 'Never add an "Other": people can always answer in their own words.'

AFTERWARDS = (
    "If no answer comes, go on by your best judgment and state the assumption you made. Silence "
    "is neither a yes nor a no."
)
