"""OAuth 2.1 for /mcp, so that hosted clients can connect: a person signs in with an API key, sees
what the client asks for, and allows it. Off unless `server.oauth_url` is set.
"""
