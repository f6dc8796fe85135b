namespace Web.Pages;

public class Index { public object Ship { get; set; } }
