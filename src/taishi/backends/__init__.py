"""The stores outside: each module here fits one engine to one port."""
