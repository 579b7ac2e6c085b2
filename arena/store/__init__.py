"""Everything that lasts: tables, migrations, the one writer, and what pages read."""
