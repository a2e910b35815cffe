"""Taishi as a part of other people's frameworks: one module each, imported only when it is used.

Each needs its framework, which is an extra of the same name: `'.[local,langgraph]'`.
"""
