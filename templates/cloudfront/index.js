// Written by `latimer publish`: a CloudFront function for viewer requests (cloudfront-js-2.0).
function handler(event) {
    const request = event.request;
    if (request.uri.endsWith('/')) request.uri += 'index.html';
    return request;
}
