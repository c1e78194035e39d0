import statistics

temperatures = [19.5, 21.0, 18.2, 23.4]
print(f"mean of {len(temperatures)} temperatures: {statistics.mean(temperatures):.2f}")
results["median"] = statistics.median(temperatures)
