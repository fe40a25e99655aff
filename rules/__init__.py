"""The game itself: what is legal, what it pays, who is ahead.

Standard library only; no clock, no chance, no input or output.
"""
