"""Everything people read, as whole sentences of the message catalogue, for one reader at a time.

No sentence is put together from fragments, and none holds content its reader may not see.
"""
