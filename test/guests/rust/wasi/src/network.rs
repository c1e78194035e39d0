//! The network: requests of HTTP, and sockets.

use std::net::SocketAddr;

use wasip2::{
    http::{
        outgoing_handler::handle,
        types::{Fields, Method, OutgoingBody, OutgoingRequest, Scheme},
    },
    io::streams::StreamError,
    sockets::{
        instance_network::instance_network,
        ip_name_lookup::resolve_addresses,
        network::{
            IpAddress, IpAddressFamily, IpSocketAddress, Ipv4SocketAddress, Ipv6SocketAddress,
        },
        tcp_create_socket::create_tcp_socket,
    },
};

use crate::{Wasi, exports::test::wasi::network::Guest, words};

impl Guest for Wasi {
    fn http_get(url: String) -> Result<String, String> {
        request(Method::Get, &url, None)
    }

    fn http_post(url: String, body: String) -> Result<String, String> {
        request(Method::Post, &url, Some(&body))
    }

    fn tcp_connect(address: String) -> Result<String, String> {
        let (family, address) = match address.parse::<SocketAddr>().map_err(words)? {
            SocketAddr::V4(address) => {
                let [a, b, c, d] = address.ip().octets();
                let address = Ipv4SocketAddress {
                    port: address.port(),
                    address: (a, b, c, d),
                };
                (IpAddressFamily::Ipv4, IpSocketAddress::Ipv4(address))
            }
            SocketAddr::V6(address) => {
                let [a, b, c, d, e, f, g, h] = address.ip().segments();
                let address = Ipv6SocketAddress {
                    port: address.port(),
                    flow_info: 0,
                    address: (a, b, c, d, e, f, g, h),
                    scope_id: 0,
                };
                (IpAddressFamily::Ipv6, IpSocketAddress::Ipv6(address))
            }
        };
        let socket = create_tcp_socket(family).map_err(words)?;
        socket
            .start_connect(&instance_network(), address)
            .map_err(words)?;
        socket.subscribe().block();
        socket.finish_connect().map_err(words)?;
        Ok("connected".into())
    }

    fn resolve(name: String) -> Result<String, String> {
        let stream = resolve_addresses(&instance_network(), &name).map_err(words)?;
        stream.subscribe().block();
        let mut found = vec![];
        while let Some(address) = stream.resolve_next_address().map_err(words)? {
            found.push(match address {
                IpAddress::Ipv4((a, b, c, d)) => format!("{a}.{b}.{c}.{d}"),
                IpAddress::Ipv6(address) => format!("{address:?}"),
            });
        }
        Ok(found.join("\n"))
    }
}

fn request(method: Method, url: &str, body: Option<&str>) -> Result<String, String> {
    let (scheme, rest) = url.split_once("://").ok_or("a URL has a scheme")?;
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let request = OutgoingRequest::new(Fields::new());
    let scheme = match scheme {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        other => Scheme::Other(other.to_string()),
    };
    let refused = |()| "the request was not accepted".to_string();
    request.set_method(&method).map_err(refused)?;
    request.set_scheme(Some(&scheme)).map_err(refused)?;
    request.set_authority(Some(authority)).map_err(refused)?;
    request
        .set_path_with_query(Some(if path.is_empty() { "/" } else { path }))
        .map_err(refused)?;
    let outgoing = request.body().map_err(refused)?;
    // The body is sent while the request is under way.
    let future = handle(request, None).map_err(words)?;
    if let Some(body) = body {
        let stream = outgoing.write().map_err(refused)?;
        for part in body.as_bytes().chunks(4096) {
            stream.blocking_write_and_flush(part).map_err(words)?;
        }
    }
    OutgoingBody::finish(outgoing, None).map_err(words)?;
    future.subscribe().block();
    let response = future
        .get()
        .ok_or("no response")?
        .map_err(refused)?
        .map_err(words)?;
    let incoming = response.consume().map_err(refused)?;
    let stream = incoming.stream().map_err(refused)?;
    let mut bytes = vec![];
    loop {
        match stream.blocking_read(65_536) {
            Ok(part) => bytes.extend(part),
            Err(StreamError::Closed) => break,
            Err(error) => return Err(words(error)),
        }
    }
    Ok(format!(
        "{}\n{}",
        response.status(),
        String::from_utf8_lossy(&bytes)
    ))
}
