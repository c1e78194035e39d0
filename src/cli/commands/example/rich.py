from rich.console import Console
from rich.table import Table

table = Table("what", "value", title="drawn by rich")
for name, value in results.items():
    table.add_row(name, str(value))
Console(width=60).print(table)
