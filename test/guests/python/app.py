"""A server of the world `mcp-wasm:server`: test/guests/README.md tells what it does."""

import json
import sys
from itertools import repeat

import wit_world
from componentize_py_types import Err
from wit_world import VersionInfo, exports
from wit_world.exports import prompts, resources, tools

PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

STRING = {'type': 'string'}
INTEGER = {'type': 'integer'}
TOOLS = {
    'echo': ('Gives a text back', {'text': STRING}),
    'image': ('Gives a picture of one pixel', {}),
    'resource': ('Gives a resource', {}),
    'add': ('Adds two integers', {'a': INTEGER, 'b': INTEGER}),
    'count': ('Counts the calls of this instance', {}),
    'seen': ('Tells the client and its notifications', {}),
    'fail': ('Traps', {'message': STRING}),
    'spin': ('Never ends', {}),
    'hog': ('Allocates memory', {'mib': INTEGER}),
    'flood': ('Gives a long text', {'bytes': INTEGER}),
    'print': ('Prints a text, and to stderr too', {'text': STRING}),
}

seen = {'client': None, 'capabilities': {}, 'notifications': []}
calls = 0


class WitWorld(wit_world.WitWorld):
    def initialize(self, client_info, capabilities):
        seen['client'] = {'name': client_info.name, 'version': client_info.version}
        seen['capabilities'] = dict(capabilities)
        offers = [('tools', True), ('prompts', True), ('resources', True), ('resources/subscribe', False)]
        return VersionInfo('guest', '1.0.0'), offers

    def notify(self, name, params):
        seen['notifications'].append({'name': name, 'params': params})


class Tools(exports.Tools):
    def get_list(self):
        return [
            tools.Tool(
                name,
                description,
                json.dumps({'type': 'object', 'properties': properties, 'required': list(properties)}),
            )
            for name, (description, properties) in TOOLS.items()
        ]

    def call(self, tool_name, params):
        global calls
        calls += 1
        given = json.loads(params)
        match tool_name:
            case 'image':
                return tools.Response_Image(tools.Image(PIXEL, 'image/png'))
            case 'resource':
                return tools.Response_Resource(tools.EmbeddedResource('guest://text', 'text/plain', 'embedded'))
        return tools.Response_TextResponse(answer(tool_name, given))


def answer(tool_name, given):
    match tool_name:
        case 'echo':
            return given['text']
        case 'add':
            return str(given['a'] + given['b'])
        case 'count':
            return str(calls)
        case 'seen':
            return json.dumps(seen)
        case 'fail':
            raise RuntimeError(given['message'])
        case 'spin':
            for _ in repeat(None):
                pass
        case 'hog':
            blocks = [b'\x01' * (1 << 20) for _ in range(given['mib'])]
            return str(len(blocks))
        case 'flood':
            return 'x' * given['bytes']
        case 'print':
            print(given['text'], flush=True)
            print(given['text'], file=sys.stderr, flush=True)
            return 'printed'
    raise RuntimeError(f'no such tool: {tool_name}')


class Prompts(exports.Prompts):
    def get_list(self):
        arguments = [prompts.Argument('name', 'Of the person', True), prompts.Argument('tone', None, None)]
        return [prompts.Prompt('greet', 'Greets a person', arguments), prompts.Prompt('plain', None, [])]


class Resources(exports.Resources):
    def list(self):
        return [
            resources.ResourceInfo('guest://text', 'text', 'A text', 'text/plain'),
            resources.ResourceInfo('guest://blob', 'blob', None, None),
        ]

    def read(self, uri):
        match uri:
            case 'guest://text':
                return [resources.Resource(uri, 'text/plain', resources.Content_Text('a text'))]
            case 'guest://blob':
                return [resources.Resource(uri, None, resources.Content_Blob('AAEC/w=='))]
        raise Err(resources.Error(4, f'no resource {uri}', json.dumps({'uri': uri})))
