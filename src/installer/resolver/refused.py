"""The one way to fail."""

import json
from functools import wraps


class Refused(Exception):
    """An error for the user: a sentence with the remedy, and an exit code."""

    def __init__(self, message, exit_code=1):
        super().__init__(message)
        self.exit_code = exit_code


def answering(function):
    """Makes a function for the host: it gives JSON, which may say that it was refused."""

    @wraps(function)
    def answer(*args):
        try:
            return json.dumps(function(*args))
        except Refused as error:
            return json.dumps({"error": str(error), "exitCode": error.exit_code})

    return answer
