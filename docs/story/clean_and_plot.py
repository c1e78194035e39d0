import matplotlib.pyplot as plt
import pandas as pd


def to_celsius(text):
    number = pd.to_numeric(text.strip("F").replace(",", "."), errors="coerce")
    if text.endswith("F"):
        number = (number - 32) / 1.8
    return round(number, 1) if -80 < number < 60 else None


raw = pd.read_csv("measurements.csv", dtype=str, keep_default_na=False)
table = raw.assign(
    day=pd.to_datetime(raw.day),
    city=raw.city.str.strip().str.capitalize(),
    temperature=raw.temperature.map(to_celsius),
)
table = table.dropna().drop_duplicates().sort_values(["city", "day"])
table.to_csv("cleaned.csv", index=False)
print(f"{len(raw)} rows read, {len(table)} kept")

fig, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
for city, rows in table.groupby("city"):
    axes.plot(rows.day.dt.day, rows.temperature, marker="o", label=city)
axes.set(title="A week in June", xlabel="day", ylabel="°C")
axes.legend()

table.groupby("city").temperature.agg(["count", "mean", "max"]).round(1)
