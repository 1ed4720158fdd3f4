"""Local servers that speak the platforms' protocols and refuse what the platforms refuse.

They import no SDK. A test points the real SDK at one, and acts in it as a person would.
"""
