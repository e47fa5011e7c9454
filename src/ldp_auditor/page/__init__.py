"""The page: a results folder as one HTML file. Data first, page second."""
