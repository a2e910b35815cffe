"""Claude Code: what its hooks hand to `taishi hook`, and what they get back.

Recalls before a prompt is answered, and ends a turn when the answer is given. Nothing here may
break a session: whatever goes wrong is for the command to report, with exit code 0.
"""
