Route #1: 1 2 3
Cost 24
