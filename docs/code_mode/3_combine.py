import asyncio
import csv


async def meetings_in(zone):
    """The meetings of meetings.csv, with their times in another zone."""
    table = await mcp_filesystem.read_text_file(path="meetings.csv")
    rows = list(csv.DictReader(table.text.splitlines()))
    converted = await asyncio.gather(
        *(
            mcp_time.convert_time(source_timezone=row["zone"], time=row["at"], target_timezone=zone)
            for row in rows
        )
    )
    times = [result.data["target"]["datetime"][11:16] for result in converted]
    return sorted((time, row["name"]) for time, row in zip(times, rows))


meetings = await meetings_in("UTC")
await mcp_memory.create_entities(
    entities=[
        {"name": name, "entityType": "meeting", "observations": [f"at {time} UTC"]}
        for time, name in meetings
    ]
)
save_tool(meetings_in)
meetings
