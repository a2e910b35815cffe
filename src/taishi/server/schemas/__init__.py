"""What goes in and what comes out of /v1, as the OpenAPI description shows it."""
