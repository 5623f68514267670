"""The articles: example data, published numbers, and how notebooks are executed."""
