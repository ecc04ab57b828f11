"""The engine for OpenAI Responses."""
