[doc] = await query_tool_docs("time", "convert_time", detail="full")
print(doc["stub"])
