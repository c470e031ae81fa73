module tunnelplane.example/tests/hosted

go 1.22

require github.com/ngrok/ngrok-api-go/v7 v7.8.0
