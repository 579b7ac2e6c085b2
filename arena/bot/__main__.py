"""``python -m arena.bot submit …``"""

import sys

from arena.bot.submit import main

if __name__ == "__main__":
    if sys.argv[1:2] != ["submit"]:
        sys.exit("usage: python -m arena.bot submit --help")
    main(sys.argv[2:])
