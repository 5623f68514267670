"""What serves the articles: examples, published numbers, notebooks and their kernel."""
