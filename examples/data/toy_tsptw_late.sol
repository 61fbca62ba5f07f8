Route #1: 1 3 2
Cost 28
