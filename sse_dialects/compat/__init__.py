"""The check under other SDKs' own clients: a module for each, which imports that SDK only when it is called."""
