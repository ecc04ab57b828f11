"""OpenAI Chat Completions, and everything that imitates it."""
