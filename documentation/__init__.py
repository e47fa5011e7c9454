"""Pages of the site that are made when it is built, so that none of them is kept by hand."""
