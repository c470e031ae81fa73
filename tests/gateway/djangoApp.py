"""A form behind Django's own check of where a request comes from (CSRF). It says at which port it listens."""

from wsgiref.simple_server import WSGIRequestHandler, make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.urls import path

settings.configure(
    SECRET_KEY="of a test",
    ALLOWED_HOSTS=[".example.com"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=["django.middleware.csrf.CsrfViewMiddleware"],
    SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https"),
)


def form(request):
    return HttpResponse("taken" if request.method == "POST" else get_token(request))


def moved(request):
    return HttpResponseRedirect(request.build_absolute_uri("/form"))


urlpatterns = [path("form", form), path("moved", moved)]


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


server = make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet)
print(server.server_port, flush=True)
server.serve_forever()
