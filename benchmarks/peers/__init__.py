"""The same records and questions, put to us and to what others use instead.

Part of it runs inside the peers' own environments, where only numpy is sure to be there; so
nothing is imported here, and `serve` and the `drive_…` modules import nothing of the project.
"""
