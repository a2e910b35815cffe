"""`Memory` over the REST API of a server: the services behind the verbs, each a request."""
