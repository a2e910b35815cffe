"""The outside minds: embedders, chat models, rerankers and the breaker that guards them."""
