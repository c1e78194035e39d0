"""The error that ends the work of this worker."""

import json
from functools import wraps


class Refused(Exception):
    """An error for the user: a message with the remedy, and an exit code."""

    def __init__(self, message, exit_code=1):
        super().__init__(message)
        self.exit_code = exit_code


def answering(function):
    """Makes a function for the host: it returns its result or its refusal as JSON."""

    @wraps(function)
    def answer(*args):
        try:
            return json.dumps(function(*args))
        except Refused as error:
            return json.dumps({"error": str(error), "exitCode": error.exit_code})

    return answer
