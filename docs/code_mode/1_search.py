for doc in await search_tool_docs("convert a time to another timezone", limit=2):
    print(doc["server"], doc["tool"])
