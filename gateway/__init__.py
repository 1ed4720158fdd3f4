"""OZ gateway: asks people questions for agents, and resumes the run that waits."""

__version__ = "0.1.0"
