import pydantic


class City(pydantic.BaseModel):
    name: str
    population: int


city = City.model_validate_json('{"name": "Utrecht", "population": "374411"}')
print(f"pydantic {pydantic.VERSION} read {city!r}")
results["pydantic"] = city
