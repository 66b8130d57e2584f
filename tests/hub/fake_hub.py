"""An imitation of a Hugging Face style hub on loopback, with the faults of real ones on demand.

Two servers with different ports, as the hub and its content network are different hosts: the hub lists files, describes them and
redirects to the second one, which has the bytes of the large ones and must never see a token.
"""

import hashlib
import json
import re
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LARGE = 1000  # bytes from which on a file is stored outside git, under its SHA-256


class File:
    def __init__(self, path, content):
        self.path, self.content, self.size = path, content, len(content)
        self.is_large = self.size >= LARGE
        git = hashlib.sha1(b"blob %d\0" % self.size + content).hexdigest()
        self.etag = hashlib.sha256(content).hexdigest() if self.is_large else git
        self.entry = {"type": "file", "path": path, "size": self.size, "oid": git}
        if self.is_large:
            self.entry["lfs"] = {"oid": self.etag, "size": self.size, "pointerSize": 134}


class Faults:
    """What goes wrong, from now on."""

    def __init__(self):
        self.status = []           # answer the next requests with these, before all else: (pattern of the path, status)
        self.cut_after = []        # close the connection after so many bytes of the next bodies
        self.stall_after = None    # stop sending after so many bytes, until `release` is set
        self.stalled = threading.Event()
        self.release = threading.Event()
        self.corrupt = False       # one byte of every body is wrong
        self.no_range = False      # as if nobody had asked for a part
        self.size_off = 0          # what X-Linked-Size and the list say, beside the truth
        self.extra = b""           # sent behind the body
        self.redirects = 0         # this many redirects within the content network
        self.next_host = None      # the list of files goes on there
        self.etag = None           # instead of the checksum


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A client that goes away is no news."""


class Hub:
    def __init__(self, page=2, token=None):
        self.repos, self.page, self.token, self.moved = {}, page, token, {}
        self.faults, self.log, self.lock = Faults(), [], threading.Lock()
        self.servers = [self._serve(HubHandler), self._serve(ContentHandler)]
        self.url, self.content_url = (f"http://127.0.0.1:{server.server_address[1]}" for server in self.servers)

    def _serve(self, handler):
        server = Server(("127.0.0.1", 0), type("Handler", (handler,), {"hub": self}))
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return server

    def close(self):
        self.faults.release.set()
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def add(self, repo, files):
        self.repos[repo] = {path: File(path, content) for path, content in files.items()}

    def own_name(self, repo):
        """As the hub spells it: it does not tell cases of letters apart. None: there is none."""
        return next((name for name in self.repos if name.lower() == repo.lower()), None)

    def commit(self, repo):
        return hashlib.sha1(repr(sorted((f.path, f.etag) for f in self.repos[repo].values())).encode()).hexdigest()

    def requests(self, server="", method=""):
        """(server, method, path, headers) of what has come."""
        with self.lock:
            return [one for one in self.log if one[0].startswith(server) and one[1].startswith(method)]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub, name = None, ""

    def log_message(self, *_):
        pass

    def note(self):
        with self.hub.lock:
            self.hub.log.append((self.name, self.command, self.path, {k.lower(): v for k, v in self.headers.items()}))
            for i, (pattern, status) in enumerate(self.hub.faults.status):
                if re.search(pattern, self.path):
                    del self.hub.faults.status[i]
                    return status
        return None

    def answer(self, status, headers=None, body=b""):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, str(value))
        if "Content-Length" not in (headers or {}):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_content(self, file, headers):
        """The bytes of a file, or of the part asked for, with whatever is to go wrong."""
        faults, begin = self.hub.faults, 0
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if wanted and not faults.no_range:
            begin = int(wanted[1])
            headers["Content-Range"] = f"bytes {begin}-{file.size - 1}/{file.size}"
        body = file.content[begin:]
        if faults.corrupt:
            body = bytes([body[0] ^ 1]) + body[1:]
        body += faults.extra
        headers["Content-Length"] = len(body)
        self.answer(206 if "Content-Range" in headers else 200, headers)
        if self.command == "HEAD":
            return
        cut = faults.cut_after.pop(0) if faults.cut_after else faults.stall_after
        self.wfile.write(body[:cut])
        self.wfile.flush()
        if cut is None:
            return
        if faults.stall_after is not None:
            faults.stalled.set()
            faults.release.wait()
        self.close_connection = True


class HubHandler(Handler):
    name = "hub"

    def do_HEAD(self):
        self.handle_request()

    def do_GET(self):
        self.handle_request()

    def handle_request(self):
        if status := self.note():
            return self.answer(status, {}, b"{}")
        if self.hub.token and self.headers.get("Authorization") != f"Bearer {self.hub.token}":
            return self.answer(401, {"X-Error-Message": "Invalid username or password."})
        url = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(url.path)
        found = re.fullmatch(r"/(?:api/models/)?([^/]+/[^/]+)(?:/(tree|resolve)/([^/]+)(?:/(.+))?)?", path)
        if not found:
            return self.answer(404)
        asked, route, revision, file = found.groups()
        if asked in self.hub.moved:
            return self.answer(307, {"Location": self.path.replace(asked, self.hub.moved[asked])})
        repo = self.hub.own_name(asked)
        if not repo:
            return self.answer(404, {"X-Error-Message": "Repository not found"})
        if route == "resolve":
            return self.resolve(repo, revision, file)
        if route == "tree":
            return self.tree(repo, urllib.parse.parse_qs(url.query))
        return self.answer(200, {"Content-Type": "application/json"}, json.dumps({"id": repo, "modelId": repo}).encode())

    def tree(self, repo, query):
        faults, headers = self.hub.faults, {"Content-Type": "application/json"}
        files, begin = list(self.hub.repos[repo].values()), int(query.get("cursor", ["0"])[0])
        end = begin + self.hub.page
        if end < len(files):
            host = faults.next_host or self.hub.url
            headers["Link"] = f'<{host}/api/models/{repo}/tree/main?recursive=1&cursor={end}>; rel="next"'
        entries = [{"type": "directory", "path": "folder", "size": 0, "oid": "0" * 40}] if begin == 0 else []
        entries += [{**file.entry, "size": file.size + (faults.size_off if file.is_large else 0)} for file in files[begin:end]]
        return self.answer(200, headers, json.dumps(entries).encode())

    def resolve(self, repo, revision, path):
        file, faults = self.hub.repos[repo].get(path), self.hub.faults
        if not file or revision not in ("main", self.hub.commit(repo)):
            return self.answer(404, {"X-Error-Code": "EntryNotFound"})
        headers = {"X-Repo-Commit": self.hub.commit(repo), "ETag": f'"{faults.etag or file.etag}"', "Accept-Ranges": "bytes"}
        if not file.is_large:
            return self.send_content(file, headers)
        headers |= {"X-Linked-Etag": headers["ETag"], "X-Linked-Size": file.size + faults.size_off, "ETag": '"of the answer"',
                    "Location": f"{self.hub.content_url}/{file.etag}?name={urllib.parse.quote(path)}"}
        return self.answer(302, headers)


class ContentHandler(Handler):
    name = "content"

    def do_GET(self):
        if status := self.note():
            return self.answer(status)
        if self.hub.faults.redirects > 0:
            self.hub.faults.redirects -= 1
            return self.answer(302, {"Location": self.path})
        etag = self.path[1:].partition("?")[0]
        for repo in self.hub.repos.values():
            for file in repo.values():
                if file.etag == etag:
                    return self.send_content(file, {"ETag": f'"{etag}"'})
        return self.answer(404)

    do_HEAD = do_GET
