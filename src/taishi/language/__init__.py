"""Pure text functions: no storage, no models, no clock of their own."""
