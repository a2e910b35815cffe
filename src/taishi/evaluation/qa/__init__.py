"""`taishi eval qa`: turns in, questions answered from memory, answers judged."""
