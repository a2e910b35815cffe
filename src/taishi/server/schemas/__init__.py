"""Request and response models of /v1, as the OpenAPI description shows them."""
