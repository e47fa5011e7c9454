"""A foreign mechanism against its claim: what is asked, sampled, searched for and proven."""
