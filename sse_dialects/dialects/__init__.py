"""One accumulator a dialect: frames in, events and an answer out. The three never import each other."""
