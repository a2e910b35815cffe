"""A chat endpoint that speaks the OpenAI format and adds memory to each request."""
